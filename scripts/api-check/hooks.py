"""Lets the checker send NDJSON bodies, which it generates itself."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def serialize_lines(_context, value):
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")

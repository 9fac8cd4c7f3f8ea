"""Lets schemathesis generate and send NDJSON bodies."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def serialize_lines(_context, value):
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")

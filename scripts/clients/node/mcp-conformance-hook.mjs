/**
 * The conformance suite imports `globSync` from `fs` for a command that is not used here. Node.js 20 has none, so the
 * import fails; this hook adds one that returns nothing.
 */

import { register } from 'node:module'

const shim = 'data:text/javascript,' + encodeURIComponent("export * from 'node:fs'; export const globSync = () => []")

const hooks = `
  export function resolve(specifier, context, next) {
    const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    return specifier === 'fs' && isSuite ? { url: ${JSON.stringify(shim)}, shortCircuit: true } : next(specifier, context)
  }
`

register('data:text/javascript,' + encodeURIComponent(hooks))

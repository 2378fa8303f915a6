// The TypeScript compiler, which @pulumi/pulumi loads with every program and needs for the schema of a plugin alone: loaded when it is needed.
let compiler;

module.exports = new Proxy({}, { get: (_, name) => (compiler ??= require('typescript'))[name] });

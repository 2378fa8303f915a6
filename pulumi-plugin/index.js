// Pulumi calls it, with the address of the engine in the arguments of the process.
module.exports = () => require('../lib/pulumi/provider.js').serve(__dirname);

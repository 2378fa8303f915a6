// node -r ./scripts/sources.cjs: runs programs with the library from its sources.
require('tsx/cjs');
require('./texts.cjs');

import { together } from './together.js';

together('test/properties', 'test/preconditions', 'test/upgrades');

import { together } from './together.js';

together('test/admission', 'test/cluster', 'test/reservation', 'test/validation', 'test/placement');

import { together } from './together.js';

together('examples');

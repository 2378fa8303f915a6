import { together } from './together.js';

together('test/join', 'test/storage', 'test/openstack', 'test/control-plane', 'test/app', 'test/corpus');

import { quoted } from '../base/properties.js';
import type { Check } from '../base/property-table.js';

const idOf =
  (form: RegExp): Check =>
  (id, problems) => {
    if (typeof id !== 'string' || !form.test(id)) {
      problems.add(
        id === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
        id === undefined ? 'the id is missing' : `${quoted(id)} is not an id of OpenStack`,
        'write the UUID, as openstack … show prints it',
      );
    }
  };

/** An id of Nova, Neutron, Cinder or Glance. */
export const checkId: Check = idOf(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);

/** An id of a project, which Keystone writes without dashes. */
export const checkProjectId: Check = idOf(/^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i);

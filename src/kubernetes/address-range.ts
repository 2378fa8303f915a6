import { isIP } from 'node:net';
import type { Check } from '../validation/property-table.js';
import { quoted } from '../validation/properties.js';

/** Checks an IP address, or a range of them (CIDR) that is not all of them. */
export const checkAddressRange: Check = (range, problems) => {
  const [address = '', bits, ...more] = typeof range === 'string' ? range.split('/') : [];
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const isValid =
    version > 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
  if (!isValid) {
    problems.add('EDGE_VALUE', `${quoted(range)} is not an IP address or a range`, "write '10.0.0.7' or '10.0.0.0/24'");
  } else if (bits !== undefined && Number(bits) === 0) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(range)} includes every address`,
      "write the addresses of the nodes: '10.0.0.0/24'",
    );
  }
};

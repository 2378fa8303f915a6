import { sectionsOf } from '../base/shell-sections.js';
import etcdCertificates from './etcd-certificates.sh';
import etcdMember from './etcd-member.sh';
import etcdRecovery from './etcd-recovery.sh';

/** What runs on machines, by the name of its section. */
export const shell = sectionsOf(etcdCertificates, etcdMember, etcdRecovery);

import { secretWords } from '../../src/control-plane/upload-secrets.js';

// those with one: test/bad-inputs/etcd-credentials.ts
it.each([
  [['restic', '-r', 'swift:token=backups/x', 'backup', '{file}']],
  [['rclone', 'copy', '{file}', 'remote:a/secret=b']],
  [['sh', '-c', 'curl -u "$USER:$PASSWORD" -T "$1" https://store.example/', 'sh', '{file}']],
  [['docker', 'run', '-u', '1000:1000', 'tools', '{file}']],
  [['sshpass', '-e', 'scp', '-p', '{file}', 'backup@store.example:']],
  [['scp', '-p', '{file}', 'backup@store.example:']],
  [['curl', '-K', '/etc/etcd/curl.conf', '-T', '{file}', 'https://store.example/?signed=1']],
  [['swift', 'upload', '--object-name', 'etcd', 'backups', '{file}']],
  [['openstack', '--os-cloud', 'edge', 'object', 'create', 'tokens', '{file}']],
])('an upload without a credential is accepted: %j', (upload) => {
  expect(secretWords(upload)).toEqual([]);
});

// npm run audit: known vulnerabilities in what users get with the package, by the registry that npm is configured with. A registry that does not know them
// is reported: "skipped, because ...".
import { spawnSync } from 'node:child_process';
import { root } from './install.mjs';

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--package-lock-only', '--json'], {
  cwd: root,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const report = (() => {
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
})();
if (report.metadata === undefined) {
  const why =
    report.message ?? report.error?.summary ?? stderr.trim().split('\n').at(-1) ?? 'npm audit answered nothing';
  console.log(`skipped, because the registry has no list of vulnerabilities: ${why}`);
} else {
  const found = Object.values(report.vulnerabilities);
  found.forEach(({ name, severity, range }) => console.log(`${severity}: ${name} ${range}`));
  console.log(`${found.length} vulnerabilities in ${report.metadata.dependencies.prod} packages`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

import { quoteForShell } from '../text/shell.js';

/** A proxy whose user and password are in a file on the machine. */
export interface ProxyCredentials {
  /** The file, `user:password`. */
  readonly file: string;
  /** URLs without them, by the variable in which programs expect them. */
  readonly urls: Readonly<Record<string, string>>;
}

/** The drop-in of the container runtime that the script makes of them. It comes after the one of the join, so its variables prevail. */
export function credentialsDropIn(unit: 'containerd' | 'crio'): string {
  return `/etc/systemd/system/${unit}.service.d/20-edge-nodepools-proxy.conf`;
}

/** Programs that the script needs for it. */
export const CREDENTIALS_PROGRAMS: readonly string[] = ['od'];

/**
 * Shell function `use_proxy`, which reads user and password and exports the URLs with them. They go through pipes and builtins, so no argument contains
 * them. `od` reads the bytes, because programs called awk differ in what a character is.
 */
export function useProxyLines({ file, urls }: ProxyCredentials): string[] {
  const path = quoteForShell(file);
  const missing = `${file} cannot be read: it has user:password of the proxy`;
  const wrong = `${file} does not hold one line user:password`;
  return [
    'proxy_user() {',
    `  od -An -v -tx1 ${path} | awk '`,
    // unreserved in a URL (RFC 3986); every other byte is encoded, so that nothing in a password can be anything else
    '    BEGIN { for (i = 33; i < 127; i++) { c = sprintf("%c", i); if (c ~ /[A-Za-z0-9._~-]/) plain[sprintf("%02x", i)] = c } }',
    '    { for (i = 1; i <= NF; i++) byte[++count] = $i }',
    '    END {',
    '      first = byte[1] byte[2] byte[3] == "efbbbf" ? 4 : 1',
    '      if (byte[count] == "0a") count--',
    '      if (byte[count] == "0d") count--',
    '      for (i = first; i <= count; i++) {',
    '        if (byte[i] == "0a" || byte[i] == "0d" || byte[i] == "00") exit 65',
    '        if (byte[i] == "3a" && !found) { found = i; out = out ":" }',
    '        else out = out (byte[i] in plain ? plain[byte[i]] : "%" toupper(byte[i]))',
    '      }',
    '      if (found <= first) exit 65',
    '      print out',
    "    }'",
    '}',
    'use_proxy() {',
    `  [ -r ${path} ] || { say ${quoteForShell(missing)}; return 66; }`,
    "  command -v od >/dev/null 2>&1 || { say 'od is not installed'; return 127; }",
    `  proxy_user=$(proxy_user) || { say ${quoteForShell(wrong)}; return 65; }`,
    ...Object.entries(urls).flatMap(([name, url]) => {
      const [scheme = '', host = ''] = url.split('://');
      return [
        `  ${name}=${scheme}://$proxy_user@${quoteForShell(host)}`,
        `  export ${name} ${name.toUpperCase()}="$${name}"`,
      ];
    }),
    '}',
  ];
}

/** A shell command that writes the drop-in to a file, which only root can read. */
export function dropInCommand({ urls }: ProxyCredentials, path: string): string {
  const lines = Object.keys(urls).flatMap((name) => [
    `echo "Environment=\\"${name}=$${name}\\""`,
    `echo "Environment=\\"${name.toUpperCase()}=$${name}\\""`,
  ]);
  // "%" starts a specifier of systemd
  return `(umask 077; { echo '[Service]'; ${lines.join('; ')}; } | sed 's/%/%%/g' > ${path})`;
}

/** Shell lines that write the drop-in of a runtime; they return from the function that contains them if they fail. */
export function dropInLines(credentials: ProxyCredentials, unit: 'containerd' | 'crio'): string[] {
  const path = credentialsDropIn(unit);
  return [
    `mkdir -p ${path.slice(0, path.lastIndexOf('/'))} && rm -f ${path}.new && ${dropInCommand(credentials, `${path}.new`)} && mv -f ${path}.new ${path} || return`,
  ];
}

import { applyPatch } from 'diff';
import fc from 'fast-check';
import { Corefile, EdgeError } from 'edge-nodepools';
import { ALL_COREFILES, CLUSTER_COREFILES, OTHER_COREFILES } from '../corpus/corefiles.js';
import { isFullDepth, runs } from '../depth.js';

const HOSTS = { file: '/etc/edge/tunnel-nodes' };
const clusters = Object.entries(CLUSTER_COREFILES);

/** The lines of one text that the other does not have. */
function added(before: string, after: string): string[] {
  const lines = before.split(/\r?\n/);
  return after.split(/\r?\n/).filter((line) => {
    const index = lines.indexOf(line);
    if (index >= 0) {
      lines.splice(index, 1);
    }
    return index < 0;
  });
}

describe('parsing and printing', () => {
  it('is tested with at least 30 Corefiles', () => expect(ALL_COREFILES.length).toBeGreaterThanOrEqual(30));

  it.each(ALL_COREFILES)('%s: the same bytes', (_, text) => {
    expect(Corefile.parse(text).toString()).toBe(text);
  });

  it('prints every accepted text unchanged', () => {
    const words = [
      '.:53',
      '{',
      '}',
      '\n',
      ' ',
      '# x',
      '#',
      '"',
      '"a b"',
      'import',
      'a',
      'errors',
      '\t',
      '\r\n',
      '(s)',
      ',',
      '\\',
    ];
    const soup = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })), { maxLength: 30 });
    let accepted = 0;
    fc.assert(
      fc.property(soup, (parts) => {
        const text = parts.join('');
        try {
          expect(Corefile.parse(text).toString()).toBe(text);
          accepted += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(EdgeError);
          expect((error as EdgeError).message).toMatch(/line \d+, column \d+: /);
        }
      }),
      runs(2000),
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it('parses the same server blocks as CoreDNS', () => {
    const { serverBlocks } = Corefile.parse(CLUSTER_COREFILES['comments everywhere'] as string);
    expect(serverBlocks).toEqual([
      {
        addresses: ['.:53'],
        line: 2,
        directives: [
          ['errors'],
          ['ready'],
          ['kubernetes', 'cluster.local', 'in-addr.arpa', 'ip6.arpa'],
          ['forward', '.', '/etc/resolv.conf'],
        ],
      },
    ]);
    // a comment inside of a word ends at the next white space, and the next word starts there
    expect(Corefile.parse('.:53 {\n  errors#see log\n}').serverBlocks[0]?.directives).toEqual([['errors', 'log']]);
    expect(Corefile.parse('a,\nb {\n}').serverBlocks[0]?.addresses).toEqual(['a', 'b']);
  });

  it('refuses blocks without end', () => {
    const nested = (depth: number): string => `.:53 {\n${'a {\n'.repeat(depth)}${'}\n'.repeat(depth)}}\n`;
    expect(Corefile.parse(nested(50)).toString()).toBe(nested(50));
    expect(() => Corefile.parse(nested(50_000))).toThrow(
      'line 102, column 3: more than 100 blocks are nested in one another',
    );
  });
});

describe('the hosts plugin', () => {
  it.each(clusters)('%s: is added before kubernetes, and nothing else changes', (_, text) => {
    const before = Corefile.parse(text);
    const after = before.withHosts(HOSTS);
    for (const [index, block] of after.serverBlocks.entries()) {
      const names = block.directives.map(([name]) => name);
      const place = names.indexOf('kubernetes');
      expect(place > 0 && names[place - 1] === 'hosts').toBe(place >= 0);
      const others = block.directives.filter(([name]) => name !== 'hosts');
      expect(others).toEqual(before.serverBlocks[index]?.directives);
    }
    expect(added(after.toString(), text)).toEqual([]);
    expect(added(text, after.toString()).map((line) => line.trim())).toEqual([
      'hosts /etc/edge/tunnel-nodes {',
      'reload 300ms',
      'fallthrough',
      '}',
    ]);
  });

  it.each(clusters)('%s: is idempotent, and its removal restores the text', (_, text) => {
    const after = Corefile.parse(text).withHosts(HOSTS);
    const again = Corefile.parse(after.toString());
    expect(again.withHosts(HOSTS).toString()).toBe(after.toString());
    expect(after.withoutHosts(HOSTS.file).toString()).toBe(text);
    expect(again.withoutHosts(HOSTS.file).toString()).toBe(text);
  });

  it('matches the documentation of OpenYurt', () => {
    const documented = OTHER_COREFILES['OpenYurt tunnel, done already'] as string;
    expect(
      Corefile.parse(CLUSTER_COREFILES['kubeadm up to 1.31'] as string)
        .withHosts(HOSTS)
        .toString(),
    ).toBe(documented);
    expect(Corefile.parse(documented).withHosts(HOSTS).toString()).toBe(documented);
  });

  it('adds a missing fallthrough, because otherwise no Service would resolve', () => {
    const text =
      '.:53 {\n    hosts /etc/edge/tunnel-nodes {\n        reload 1s # often\n    }\n    kubernetes cluster.local\n}\n';
    expect(Corefile.parse(text).withHosts(HOSTS).toString()).toBe(
      text.replace('often\n', 'often\n        fallthrough\n'),
    );
    const bare = Corefile.parse('.:53 {\n    hosts /etc/edge/tunnel-nodes\n    kubernetes cluster.local\n}\n');
    expect(bare.withHosts(HOSTS).toString()).toContain('hosts /etc/edge/tunnel-nodes {\n        fallthrough\n    }\n');
  });

  it('preserves a comment above it when it is removed', () => {
    const text =
      '.:53 {\n    errors\n    # for the tunnel\n    hosts /f {\n        fallthrough\n    }\n    kubernetes cluster.local\n}\n';
    expect(Corefile.parse(text).withoutHosts('/f').toString()).toBe(
      '.:53 {\n    errors\n    # for the tunnel\n    kubernetes cluster.local\n}\n',
    );
    expect(Corefile.parse(text).has('hosts', '/f')).toBe(true);
    expect(Corefile.parse(text).has('hosts', '/g')).toBe(false);
  });
});

describe('forwarders', () => {
  const HZ = { zone: 'site-hz.example', to: ['10.1.0.2', '10.1.0.3:5353'] };

  it.each(ALL_COREFILES)('%s: adds a zone, is idempotent, and can be removed', (_, text) => {
    const before = Corefile.parse(text);
    if (before.serverBlocks.length > 0 && !text.includes('{')) {
      expect(() => before.withForwarder(HZ)).toThrow('has no braces');
      return;
    }
    const after = before.withForwarder(HZ);
    expect(after.serverBlocks).toHaveLength(before.serverBlocks.length + 1);
    expect(after.has('forward', '.', '10.1.0.2', '10.1.0.3:5353')).toBe(true);
    expect(after.withForwarder(HZ).toString()).toBe(after.toString());
    expect(after.withoutForwarder(HZ.zone).serverBlocks).toEqual(before.serverBlocks);
    const read = Corefile.parse(after.toString());
    const addresses = (corefile: Corefile) => corefile.serverBlocks.map((block) => block.addresses);
    expect(addresses(read)).toEqual(addresses(after));
    expect(read.withForwarder(HZ).toString()).toBe(after.toString());
  });

  it('replaces changed servers', () => {
    const before = Corefile.parse(CLUSTER_COREFILES['a stub domain'] as string);
    const after = before.withForwarder({ zone: 'corp.example', to: ['10.150.0.2'] });
    expect(after.toString()).toBe(before.toString().replace('10.150.0.1', '10.150.0.2'));
  });
});

describe('forwarders next to other server blocks', () => {
  const to = ['10.1.0.2'];

  it.each([
    ['corp.example:53 other.example:53 {\n    forward . 10.0.0.1\n}\n', 'corp.example', 'also answers for other zones'],
    [CLUSTER_COREFILES['kubeadm up to 1.31'] as string, 'cluster.local', 'kubernetes plugin answers for cluster.local'],
    [CLUSTER_COREFILES['kubeadm up to 1.31'] as string, 'local', 'names of Services would not resolve'],
    [CLUSTER_COREFILES['kubeadm up to 1.31'] as string, 'svc.cluster.local', 'names of Services would not resolve'],
    [CLUSTER_COREFILES['kubeadm up to 1.31'] as string, 'in-addr.arpa', 'names of Services would not resolve'],
    [
      '(k) {\n    kubernetes EDGE.local\n}\n. {\n    import k\n}\n',
      'edge.local',
      'names of Services would not resolve',
    ],
  ])('refuse a change that would redirect other names: %j %s', (text, zone, message) => {
    expect(() => Corefile.parse(text).withForwarder({ zone, to })).toThrow(message);
  });

  it('accept the reverse zone of a site', () => {
    const text = CLUSTER_COREFILES['kubeadm up to 1.31'] as string;
    expect(Corefile.parse(text).withForwarder({ zone: '20.10.in-addr.arpa', to }).serverBlocks).toHaveLength(2);
  });

  it('change only the servers: comments, blocks and case do not change', () => {
    const text =
      'Corp.Example:53 {\n    # ours\n    log\n    forward . 10.0.0.1 { # fast\n        max_concurrent 1000 # enough\n    }\n    cache 60 # long\n}\n';
    const after = Corefile.parse(text).withForwarder({ zone: 'corp.example', to }).toString();
    expect(after).toBe(text.replace('10.0.0.1', '10.1.0.2'));
    expect(Corefile.parse(after).withForwarder({ zone: 'CORP.example'.toLowerCase(), to }).toString()).toBe(after);
  });

  it.each([
    'corp.example other.example {\n    errors\n    cache 30\n    forward . 10.0.0.1\n}\n',
    'corp.example {\n    log\n    forward . 10.0.0.1\n}\n',
    'corp.example {\n    errors\n    cache 30\n    # ours\n    forward . 10.0.0.1\n}\n',
    'corp.example {\n    errors\n    cache 30\n    forward . 10.0.0.1 {\n        force_tcp\n    }\n}\n',
  ])('remove no other configuration: %j', (text) => {
    expect(Corefile.parse(text).withoutForwarder('corp.example').toString()).toBe(text);
  });

  it('remove their own server block, and preserve a comment above it', () => {
    const first = Corefile.parse('. {\n    whoami\n}\n').withForwarder({ zone: 'corp.example', to });
    const text =
      first.toString().replace('corp.example', '# of another team\ncorp.example') + 'b.example {\n    whoami\n}\n';
    const after = Corefile.parse(text).withoutForwarder('corp.example').toString();
    expect(after).toContain('# of another team\n');
    expect(Corefile.parse(after).serverBlocks.map(({ addresses }) => addresses)).toEqual([['.'], ['b.example']]);
  });
});

describe('a hosts plugin for the same file', () => {
  const text = (hosts: string): string => `. {\n    ${hosts}\n    kubernetes cluster.local\n}\n`;

  it.each([
    [
      'hosts /etc/edge/tunnel-nodes example.org {\n        fallthrough\n    }',
      'hosts /etc/edge/tunnel-nodes {\n        fallthrough\n    }',
    ],
    [
      'hosts /etc/edge/tunnel-nodes { # mine\n        ttl 5\n        fallthrough in-addr.arpa # why\n    }',
      'hosts /etc/edge/tunnel-nodes { # mine\n        ttl 5\n        fallthrough # why\n    }',
    ],
  ])('that does not answer all names is changed: %j', (before, after) => {
    expect(Corefile.parse(text(before)).withHosts(HOSTS).toString()).toBe(text(after));
    expect(Corefile.parse(text(after)).withHosts(HOSTS).toString()).toBe(text(after));
  });

  it('that contains names is not removed with ours', () => {
    const own = text('hosts /etc/edge/tunnel-nodes {\n        10.0.0.1 nas\n        fallthrough\n    }');
    expect(Corefile.parse(own).withoutHosts(HOSTS.file).toString()).toBe(own);
  });

  it('is not added if a snippet has it', () => {
    const imported = `(h) {\n    hosts /other\n}\n. {\n    import h\n    kubernetes cluster.local\n}\n`;
    expect(() => Corefile.parse(imported).withHosts(HOSTS)).toThrow(
      'imports a snippet that already has the plugin hosts',
    );
  });
});

describe('the node-local cache', () => {
  const text = OTHER_COREFILES['NodeLocal DNSCache'] as string;
  const props = { addresses: ['169.254.20.10'] };

  it('sets bind and cache in every server block, is idempotent, and preserves other options', () => {
    const own = `${text}\nsite-hz.example {\n    forward . 10.1.0.2\n    cache 60 {\n        # ours\n        prefetch 10\n        success 5\n    }\n}\n`;
    const after = Corefile.parse(own).withNodeLocalCache({ ...props, success: 100, denial: 50 });
    expect(after.serverBlocks).toHaveLength(4);
    for (const { directives } of after.serverBlocks) {
      expect(directives.filter(([name]) => name === 'bind')).toEqual([['bind', '169.254.20.10']]);
      expect(directives.filter(([name]) => name === 'cache')).toHaveLength(1);
    }
    expect(after.toString()).toContain('# ours\n        prefetch 10\n        success 100\n');
    expect(after.toString().match(/success 100/g)).toHaveLength(4);
    const again = Corefile.parse(after.toString()).withNodeLocalCache({ ...props, success: 100, denial: 50 });
    expect(again.toString()).toBe(after.toString());
  });

  it('does not change a Corefile of NodeLocal DNSCache that already has the same settings', () => {
    const after = Corefile.parse(text).withNodeLocalCache({ addresses: ['169.254.20.10', '10.96.0.10'] });
    const lines = added(text, after.toString()).map((line) => line.trim());
    expect(lines.filter((line) => !/^(cache 30 \{|success 9984|denial 9984|\})$/.test(line))).toEqual([]);
  });

  it.each(clusters)('%s: not in the CoreDNS of the cluster', (_, cluster) => {
    expect(() => Corefile.parse(cluster).withNodeLocalCache(props)).toThrow(/kubernetes plugin.*node-local-dns/s);
  });

  it('is not added if a snippet has a plugin', () => {
    const imported = '(c) {\n    cache 5\n}\n. {\n    import c\n    forward . 10.0.0.1\n}\n';
    expect(() => Corefile.parse(imported).withNodeLocalCache(props)).toThrow(
      'snippet that already has the plugin cache',
    );
  });
});

describe('the diff', () => {
  it('equals the output of diff -u', () => {
    const before = Corefile.parse(CLUSTER_COREFILES['kubeadm up to 1.31'] as string);
    expect(before.diff(before)).toBe('');
    expect(before.diff(before.withHosts(HOSTS))).toBe(`--- a/Corefile
+++ b/Corefile
@@ -4,6 +4,10 @@
        lameduck 5s
     }
     ready
+    hosts /etc/edge/tunnel-nodes {
+       reload 300ms
+       fallthrough
+    }
     kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
`);
  });

  // the shortest diff of so many changed lines takes too long
  const LINES = isFullDepth ? 2000 : 500;

  it.each([
    ['\n', ''],
    ['', '\n'],
  ])('of many changed lines is one hunk, at the ends %j and %j', (end, laterEnd) => {
    const of = (plugin: string, last: string): string =>
      `.:53 {\n${Array.from({ length: LINES }, (_, line) => `    ${plugin} ${line}\n`).join('')}}${last}`;
    const [before, after] = [of('rewrite', end), of('template', laterEnd)];
    const diff = Corefile.parse(before).diff(Corefile.parse(after));
    expect(applyPatch(before, diff)).toBe(after);
    expect(diff.split('\n', 3)).toEqual(['--- a/Corefile', '+++ b/Corefile', `@@ -1,${LINES + 2} +1,${LINES + 2} @@`]);
    // a side without lines
    const empty = Corefile.parse('');
    expect(applyPatch('', empty.diff(Corefile.parse(after)))).toBe(after);
    expect(applyPatch(before, Corefile.parse(before).diff(empty))).toBe('');
  });
});

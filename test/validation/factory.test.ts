import { Corefile, EdgeError, JoinToken, NodeReservation, SystemComponent } from 'edge-nodepools';

/** Programs in JavaScript, or with a cast, get as far as the constructors, which TypeScript calls private. */
describe('classes with factory methods', () => {
  it.each<[written: string, Class: unknown, given: unknown, hint: RegExp]>([
    ['new JoinToken', JoinToken, 'abcdef.0123456789abcdef', /^write JoinToken\.fromFile\(/],
    ['new NodeReservation', NodeReservation, 'edge-small', /^write NodeReservation\.preset\(/],
    ['new SystemComponent', SystemComponent, 'kube-proxy', /^write SystemComponent\.KUBE_PROXY or /],
    ['new Corefile', Corefile, '.:53 {}', /^write Corefile\.parse\(/],
  ])('refuse %s, and name the method', (_, Class, given, hint) => {
    let error: unknown;
    try {
      new (Class as new (given: unknown) => unknown)(given);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(EdgeError);
    expect((error as EdgeError).problems).toEqual([
      expect.objectContaining({ code: 'EDGE_TYPE', hint: expect.stringMatching(hint) }),
    ]);
    expect((error as EdgeError).message).not.toContain('abcdef');
  });
});

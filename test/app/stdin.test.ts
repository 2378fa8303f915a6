import { type ReadBytes, readStdin } from '../../src/app/command/stdin.js';

/** Gives one chunk after the other; an Error is thrown. */
function reads(...chunks: (Buffer | string | Error)[]): ReadBytes {
  return (buffer) => {
    const next = chunks.shift() ?? '';
    if (next instanceof Error) {
      throw next;
    }
    return Buffer.from(next as string).copy(buffer);
  };
}

const failure = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'read' });

describe('stdin', () => {
  it('is read to its end, with characters that two chunks share', () => {
    const [first, second] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)];
    expect(readStdin(reads('a: ', first, second, '\r\n'))).toBe('a: ä\r\n');
    expect(readStdin(reads())).toBe('');
  });

  it('is waited for if the pipe is non-blocking', () => {
    expect(readStdin(reads(failure('EAGAIN'), 'a', failure('EAGAIN'), failure('EAGAIN'), 'b'))).toBe('ab');
    expect(readStdin(reads('a', failure('EOF'), 'b'))).toBe('a');
    expect(() => readStdin(reads('a', failure('EISDIR')))).toThrow('EISDIR');
  });

  it('keeps a byte order mark, and is refused if it is not UTF-8', () => {
    expect(readStdin(reads('\uFEFFa: b\n'))).toBe('\uFEFFa: b\n');
    expect(() => readStdin(reads(Buffer.from('a: ä\n', 'latin1')))).toThrow('stdin is not UTF-8');
    expect(() => readStdin(reads(Buffer.from('\uFEFFa: b\n', 'utf16le')))).toThrow('stdin is not UTF-8');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classOf, type NetworkClass } from './egress-address.js';

const ROWS: readonly (readonly [address: string, kind: NetworkClass])[] = [
  ['8.8.8.8', 'public'],
  ['2606:4700:4700::1111', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::127.0.0.1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['2002:7f00:1::', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd00::1', 'private'],
  ['::ffff:10.1.2.3', 'private'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['169.254.1.1', 'link-local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['169.254.169.254', 'reserved'],
  ['::ffff:169.254.169.254', 'reserved'],
  ['fd00:ec2::254', 'reserved'],
  ['0.0.0.0', 'reserved'],
  ['::', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['224.0.0.1', 'reserved'],
  ['ff02::1', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['localhost', 'reserved'],
  ['', 'reserved'],
];

describe('where an address leads', () => {
  test.each(ROWS)('%s: %s', (address, kind) => expect(classOf(address)).toBe(kind));

  test('an IPv4 address is the same in every form that IPv6 has for it', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
        const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
        const forms = [`::ffff:${address}`, `::ffff:${high}:${low}`, `64:ff9b::${address}`, `2002:${high}:${low}::1`];
        for (const form of forms) expect(`${form} ${classOf(form)}`).toBe(`${form} ${classOf(address)}`);
      }),
    );
  });

  test('how an IPv6 address is written does not matter', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
        expect(classOf(written)).toBe(classOf(address));
      }),
    );
  });
});

import { BlockList, isIP, isIPv4 } from 'node:net';

/** Where an address leads. `reserved` leads nowhere good: metadata of clouds, broadcast, what no host has. */
export type NetworkClass = 'public' | 'private' | 'link-local' | 'loopback' | 'reserved';

type Range = readonly [network: string, prefix: number];

const RANGES: readonly (readonly [kind: Exclude<NetworkClass, 'public'>, ranges: readonly Range[]])[] = [
  // Asked first: these lie in the ranges below, and give credentials to whoever asks.
  [
    'reserved',
    [
      ['169.254.169.254', 32],
      ['169.254.170.2', 32],
      ['100.100.100.200', 32],
      ['fd00:ec2::254', 128],
    ],
  ],
  [
    'loopback',
    [
      ['127.0.0.0', 8],
      ['::1', 128],
    ],
  ],
  [
    'link-local',
    [
      ['169.254.0.0', 16],
      ['fe80::', 10],
    ],
  ],
  [
    'private',
    [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10],
      ['fc00::', 7],
      ['fec0::', 10],
    ],
  ],
  [
    'reserved',
    [
      // Connecting to 0.0.0.0 reaches this machine.
      ['0.0.0.0', 8],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
      ['::', 128],
      ['100::', 64],
      ['2001:db8::', 32],
      ['ff00::', 8],
    ],
  ],
];

const LISTS = RANGES.map(([kind, ranges]) => {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6');
  return { kind, list };
});

/** @param address an IP address; anything else is `reserved` */
export function classOf(address: string): NetworkClass {
  const family = isIP(address);
  if (family === 0) return 'reserved';
  const inner = family === 6 ? embeddedIPv4(address) : undefined;
  if (inner !== undefined) return classOf(inner);
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return LISTS.find(({ list }) => list.check(address, type))?.kind ?? 'public';
}

/** The IPv4 address that an IPv6 one stands for: mapped, compatible, NAT64, 6to4. A guard that reads only one form is none. */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  const dotted = (at: number): string => {
    const [high = 0, low = 0] = groups.slice(at);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  };
  if (isZero(0, 5) && groups[5] === 0xffff) return dotted(6);
  if (isZero(0, 6) && (groups[6] !== 0 || groups[7]! > 1)) return dotted(6);
  if (isZero(0, 4) && groups[4] === 0xffff && groups[5] === 0) return dotted(6);
  if (groups[0] === 0x64 && groups[1] === 0xff9b) return dotted(6);
  if (groups[0] === 0x2002) return dotted(1);
  return undefined;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const bare = address.replace(/%.*$/, '');
  const tail = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(bare);
  const [a = 0, b = 0, c = 0, d = 0] = tail?.slice(1).map(Number) ?? [];
  const hex = ((a << 8) | b).toString(16);
  const text = tail ? `${bare.slice(0, tail.index)}${hex}:${((c << 8) | d).toString(16)}` : bare;
  const [head = '', rest] = text.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const left = parse(head);
  if (rest === undefined) return left;
  const right = parse(rest);
  return [...left, ...new Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
}

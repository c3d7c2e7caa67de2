/** Files of tests: they show versions and documents of their own making. */
export const TEST_PATHS = /(^|\/)(tests?|__tests__|fixtures|golden)\/|\.(test|spec)\.[mc]?[jt]sx?$/;

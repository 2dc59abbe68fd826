interface Test {
  teardown(end: () => void): unknown
}

/** The time zone of this process until the test ends: the process goes on to other files. */
export function setTimeZone(t: Test, zone: string): void {
  const before = process.env.TZ
  process.env.TZ = zone
  t.teardown(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
}

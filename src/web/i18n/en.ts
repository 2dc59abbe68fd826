export const english: Record<string, string> = {}

export const russian: Record<string, string> = {}

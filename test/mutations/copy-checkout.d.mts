export function copyCheckout(root: string): string

export const samplePassword = 'demo-password'

export const sampleAccounts = [
  { email: 'admin@example.com', role: 'Superadministrator' },
  { email: 'manager@example.com', role: 'Manager' },
  { email: 'dealer@example.com', role: 'Dealer' },
  { email: 'production@example.com', role: 'Production user' },
]

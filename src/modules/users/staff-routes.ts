import type { FastifyInstance } from 'fastify'
import { accessRequestRoutes } from './access-requests/routes.ts'
import { administratorType } from './admins/user-type.ts'
import { avatarRoutes } from './avatars.ts'
import { impersonationRoutes } from './impersonation.ts'
import { managerType } from './managers/user-type.ts'
import { productionType } from './productions/user-type.ts'
import { permissionSetRoutes } from './rights/permission-sets.ts'
import { userTypeRoutes } from './routes.ts'

export async function staffRoutes(app: FastifyInstance): Promise<void> {
  const userTypes = [managerType(app), productionType(app), administratorType(app)]
  for (const userType of userTypes) userTypeRoutes(app, userType)
  accessRequestRoutes(app, userTypes)
  permissionSetRoutes(app)
  impersonationRoutes(app)
  avatarRoutes(app)
}

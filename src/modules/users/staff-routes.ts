import type { FastifyInstance } from 'fastify'
import { allOf } from '../../core/access.ts'
import { accessRequestRoutes } from './access-requests/routes.ts'
import { administratorType } from './admins/user-type.ts'
import { avatarRoutes } from './avatars.ts'
import { impersonationRoutes } from './impersonation.ts'
import { mayHandOver, performHandOver, showHandOver } from './managers/hand-over.ts'
import { managerType } from './managers/user-type.ts'
import { productionType } from './productions/user-type.ts'
import { permissionSetRoutes } from './rights/permission-set-routes.ts'
import { userTypeRoutes } from './routes.ts'

export async function staffRoutes(app: FastifyInstance): Promise<void> {
  const managers = managerType(app)
  const userTypes = [managers, productionType(app), administratorType(app)]
  for (const userType of userTypes) userTypeRoutes(app, userType)
  const handOver = { access: allOf(managers.may.view, mayHandOver), record: managers.find }
  app.get('/managers/:id/hand-over', handOver, showHandOver)
  app.post('/managers/:id/hand-over', handOver, performHandOver(managers))
  accessRequestRoutes(app, userTypes)
  permissionSetRoutes(app)
  impersonationRoutes(app)
  avatarRoutes(app)
}

import './bell.js'
import './chosen-files.js'
import './dialog.js'
import './dirty-form.js'
import './fields.js'
import './find.js'
import './focus.js'
import './list.js'
import './menus.js'
import './messages.js'
import './repeater.js'
import './selection.js'

// Going through the page costs a slow browser as much as styling it, so people see it first. In the background nothing is drawn.
if (document.visibilityState === 'hidden') start()
else requestAnimationFrame(() => setTimeout(start))

function start() {
  import('./htmx.js')
}

import 'htmx.org/dist/htmx.esm.js'
import 'htmx.org/dist/ext/hx-sse.js'

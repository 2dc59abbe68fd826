// Loaded into each measured process: tells what it has used so far, whenever it is asked. Looking how much memory it has
// costs time, so that is done only from when the peak is to be forgotten.
let peak = 0
let watching = false

process.on('message', (question) => {
  if (question === 'forget the peak') {
    peak = 0
    if (!watching) setInterval(watch, 20).unref()
    watching = true
  }
  watch()
  const { user, system } = process.cpuUsage()
  process.send({ cpu: (user + system) / 1000, peak })
})
// A thread of the process has none.
process.channel?.unref()

function watch() {
  peak = Math.max(peak, process.memoryUsage.rss())
}

// Loaded into each measured process: tells what it has used so far, whenever it is asked.
let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 20).unref()

process.on('message', (question) => {
  if (question === 'forget the peak') peak = 0
  const { user, system } = process.cpuUsage()
  process.send({ cpu: (user + system) / 1000, peak: Math.max(peak, process.memoryUsage.rss()) })
})
// A thread of the process has none.
process.channel?.unref()

document.documentElement.classList.add('js')
document.querySelector('[data-print]').addEventListener('click', () => print())

// On a phone a long form is its names: what is not required, and not wrong, is folded until somebody opens it.
if (matchMedia('(max-width: 47.99rem)').matches)
  for (const section of document.querySelectorAll('.form-contents ~ fieldset.field-group:not(.form-contents + fieldset)'))
    if (!section.querySelector(':scope > .fields [required], [aria-invalid="true"], [autofocus], :target') && !section.matches(':target'))
      fold(section)

function fold(section) {
  const folded = document.createElement('details')
  const [legend, ...fields] = section.children
  const summary = document.createElement('summary')
  summary.textContent = legend.textContent
  folded.className = 'field-group is-folded'
  folded.append(summary, ...fields)
  folded.id = section.id
  section.replaceWith(folded)
}

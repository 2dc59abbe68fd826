// Without this script the text is a plain textarea.
import { enhance } from './enhance.js'

enhance('textarea[data-rich-text]:not(:disabled)', edit)

async function edit(area) {
  if (!window.hugerte) return
  hugerte.remove('textarea[data-rich-text]')
  const dark = document.documentElement.dataset.bsTheme === 'dark'
  const [editor] = await hugerte.init({
    target: area,
    license_key: 'gpl',
    suffix: '.min',
    skin: dark ? 'oxide-dark' : 'oxide',
    content_css: dark ? 'dark' : 'default',
    content_style: pageStyle(),
    // What an article names must not be asked for in the name of whoever edits it.
    content_security_policy: `img-src ${new URL(area.dataset.pictures, location.href)} data: blob:`,
    height: 520,
    promotion: false,
    branding: false,
    // The status bar has attributes that break accessibility rules.
    statusbar: false,
    menubar: 'edit insert format table',
    plugins: 'advlist autolink charmap code fullscreen image link lists media nonbreaking searchreplace table visualblocks',
    toolbar:
      'undo redo | blocks | bold italic underline strikethrough | forecolor backcolor | alignleft aligncenter alignright | bullist numlist outdent indent | link image media table | removeformat code fullscreen',
    block_formats: 'Paragraph=p; Heading 2=h2; Heading 3=h3; Heading 4=h4; Preformatted=pre',
    toolbar_mode: 'sliding',
    language: document.documentElement.lang,
    iframe_aria_text: area.labels[0]?.textContent.trim(),
    // The text must stay as written: no cleanup, conversion or removal.
    valid_elements: '*[*]',
    extended_valid_elements: 'script[*],style[*],link[*],meta[*],iframe[*],svg[*],math[*],template[*]',
    valid_children: '+body[style|script|link|meta],+div[style|script],+a[div|p|h1|h2|h3|h4|h5|h6|ul|ol|table]',
    verify_html: false,
    convert_urls: false,
    entity_encoding: 'raw',
    sandbox_iframes: true,
    paste_data_images: true,
    image_list: (answer) => answer(picturesOf(area)),
    add_form_submit_trigger: false,
    submit_patch: false,
  })
  editor.on('dirty input change', () => {
    if (editor.isDirty()) area.form?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  area.form?.addEventListener('submit', () => takeText(area, editor))
}

function pageStyle() {
  const { fontFamily, color } = getComputedStyle(document.body)
  const background = getComputedStyle(document.querySelector('.record-card')).backgroundColor
  return `${fonts()} body { font: 16px/1.65 ${fontFamily}; color: ${color}; background: ${background}; margin: 1rem; } img, video { max-width: 100%; height: auto; }`
}

/** The frame of the editor has none of the fonts of the page. */
function fonts() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => ({ rule, base: sheet.href })))
  const faces = rules.filter(({ rule }) => rule instanceof CSSFontFaceRule)
  return faces.map(({ rule, base }) => rule.cssText.replace(/url\("(.*?)"\)/g, (_, path) => `url("${new URL(path, base)}")`)).join(' ')
}

// The editor reformats its content, so an unedited text is submitted as it was loaded.
function takeText(area, editor) {
  if (editor.initialized && editor.isDirty()) area.value = editor.getContent()
}

function picturesOf(area) {
  const rows = [...area.form.querySelectorAll('[data-picture]')]
  return rows.map((row, at) => ({ title: `${at + 1}. ${row.dataset.picture.split('/').at(-2).slice(0, 8)}`, value: row.dataset.picture }))
}

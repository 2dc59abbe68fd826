/** What Esc closes before it does anything else. */
export const somethingIsOpen = () => document.querySelector('dialog[open], details.dropdown[open], :popover-open') !== null

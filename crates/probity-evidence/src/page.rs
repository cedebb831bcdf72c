//! A page's text made ready for many questions: its sentences, words and numbers, each with its bytes.

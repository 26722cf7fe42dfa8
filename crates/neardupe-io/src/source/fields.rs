//! Which fields of a record are wanted: dotted keys as a tree to walk a JSON object by.

use neardupe_core::error::{Error, Result};

/// The keys of id, text and metadata, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldKeys {
    /// Key of the id.
    pub id: String,
    /// Keys of the text, joined in this order.
    pub text: Vec<String>,
    /// Keys of metadata.
    pub metadata: Vec<String>,
}

impl Default for FieldKeys {
    fn default() -> Self {
        FieldKeys {
            id: "id".to_owned(),
            text: vec!["text".to_owned()],
            metadata: Vec::new(),
        }
    }
}

/// Where a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The id of the document.
    Id,
    /// A part of the text, by its number among the keys.
    Text(usize),
    /// A metadata field, by its number among the keys.
    Metadata(usize),
}

/// The wanted fields, checked.
#[derive(Debug)]
pub(super) struct Fields {
    /// The keys as typed, for messages.
    pub(super) keys: FieldKeys,
    /// The keys as a tree, with all targets.
    pub(super) tree: Node,
}

/// A place in the tree of wanted keys.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    /// Nodes by their keys. A list is enough, since a job names few keys.
    pub(super) children: Vec<(String, Node)>,
    /// What the value at this place is wanted for; several fields may have the same key.
    pub(super) targets: Vec<Target>,
}

impl Fields {
    /// Checks the keys; one with an empty part is an error that names its parameter.
    pub(super) fn new(keys: &FieldKeys) -> Result<Self> {
        let mut tree = Node::default();
        tree.add("id-key", &keys.id, Target::Id)?;
        for (number, key) in keys.text.iter().enumerate() {
            tree.add("text-key", key, Target::Text(number))?;
        }
        for (number, key) in keys.metadata.iter().enumerate() {
            tree.add("meta-key", key, Target::Metadata(number))?;
        }
        Ok(Fields {
            keys: keys.clone(),
            tree,
        })
    }

    /// Where the field of a flat record goes; empty when nobody asked for it.
    pub(super) fn targets(&self, name: &str) -> &[Target] {
        let child = self.tree.children.iter().find(|(key, _)| key == name);
        child.map_or(&[], |(_, node)| &node.targets)
    }
}

impl Node {
    /// Whether a number can be a value here: ids and metadata can, texts cannot.
    pub(super) fn takes_numbers(&self) -> bool {
        let is_text = |target: &Target| matches!(target, Target::Text(_));
        !self.targets.is_empty() && !self.targets.iter().any(is_text)
    }

    /// A dotted key is the nested field, or a field whose own name has the dots.
    fn add(&mut self, flag: &str, key: &str, target: Target) -> Result<()> {
        if key.split('.').any(str::is_empty) {
            let message = format!("{key:?} is not a key, nor keys joined by points");
            return Err(Error::config(flag, message));
        }
        self.child(key).targets.push(target);
        if key.contains('.') {
            let node = key.split('.').fold(self, |node, part| node.child(part));
            node.targets.push(target);
        }
        Ok(())
    }

    /// The child with this key, added if it is new.
    fn child(&mut self, key: &str) -> &mut Node {
        let at = match self.children.iter().position(|(name, _)| name == key) {
            Some(at) => at,
            None => {
                self.children.push((key.to_owned(), Node::default()));
                self.children.len() - 1
            }
        };
        &mut self.children[at].1
    }
}

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
    Id,
    Text(usize),
    Metadata(usize),
}

/// A place in the tree of wanted keys.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) children: Vec<(String, Node)>,
    pub(super) targets: Vec<Target>,
}

impl FieldKeys {
    /// The tree of wanted keys.
    pub(super) fn tree(&self) -> Result<Node> {
        let mut root = Node::default();
        root.add("--id-key", &self.id, Target::Id)?;
        for (number, key) in self.text.iter().enumerate() {
            root.add("--text-key", key, Target::Text(number))?;
        }
        for (number, key) in self.metadata.iter().enumerate() {
            root.add("--meta-key", key, Target::Metadata(number))?;
        }
        Ok(root)
    }
}

impl Node {
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

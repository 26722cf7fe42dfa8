//! Documents that pairs connect: what a threshold would put together.

/// A forest over all documents.
pub(super) struct JoinedDocuments {
    parents: Vec<u32>,
}

impl JoinedDocuments {
    /// Each document is alone.
    pub(super) fn new(documents: u32) -> Self {
        JoinedDocuments {
            parents: (0..documents).collect(),
        }
    }

    fn root(&self, mut document: u32) -> u32 {
        while self.parents[document as usize] != document {
            document = self.parents[document as usize];
        }
        document
    }

    /// Two documents belong together. The smaller number leads, whatever comes first.
    pub(super) fn join(&mut self, left: u32, right: u32) {
        let (one, other) = (self.root(left), self.root(right));
        let (low, high) = (one.min(other), one.max(other));
        self.parents[high as usize] = low;
        for mut document in [left, right] {
            while self.parents[document as usize] != document {
                let above = self.parents[document as usize];
                self.parents[document as usize] = low;
                document = above;
            }
        }
    }

    /// Members by the number of the one that leads.
    fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.parents.len()];
        for document in (0u32..).take(self.parents.len()) {
            sizes[self.root(document) as usize] += 1;
        }
        sizes
    }

    /// Groups of two or more.
    pub(super) fn clusters(&self) -> u64 {
        self.sizes().iter().filter(|&&size| size > 1).count() as u64
    }

    /// Documents in such groups.
    pub(super) fn documents(&self) -> u64 {
        self.sizes().iter().filter(|&&size| size > 1).sum()
    }

    /// Documents of the largest group; 0 if there is none.
    pub(super) fn largest(&self) -> u64 {
        let sizes = self.sizes();
        let sizes = sizes.iter().copied().filter(|&size| size > 1);
        sizes.max().unwrap_or(0)
    }

    /// All but one of each group.
    pub(super) fn removed(&self) -> u64 {
        self.documents() - self.clusters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_connected_is_one_group() {
        let mut groups = JoinedDocuments::new(7);
        for (left, right) in [(5, 4), (4, 3), (1, 0), (3, 5)] {
            groups.join(left, right);
        }
        assert_eq!((groups.clusters(), groups.documents()), (2, 5));
        assert_eq!((groups.largest(), groups.removed()), (3, 3));
    }
}

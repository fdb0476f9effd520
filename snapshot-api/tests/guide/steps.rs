impl State {
    fn begin(&mut self, xid: Xid) -> Result<(), BeginError> {
        check_order(xid, self.last)?;
        // Above all others, so that the vector stays sorted.
        self.running.push(xid);
        self.last = xid;
        Ok(())
    }

    fn end(&mut self, tree: &[Xid]) {
        for xid in tree {
            if let Ok(place) = self.running.binary_search(xid) {
                self.running.remove(place);
            }
        }
        self.complete(tree);
    }

    fn complete(&mut self, tree: &[Xid]) {
        if let Some(highest) = highest_normal(tree) {
            self.latest_completed = self.latest_completed.max(highest);
            self.last = self.last.max(highest);
        }
    }
}

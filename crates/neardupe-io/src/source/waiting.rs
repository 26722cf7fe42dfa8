//! Reads from a pipe so that a job can be stopped while nothing comes.
//!
//! A pipe without a writer blocks already when it is opened, and then for as long as nobody writes: a thread
//! that waits in the system cannot look whether the job was asked to stop. So another thread opens and reads,
//! and hands on what it got. When the job stops, that thread is left where it waits; it holds nothing but the
//! pipe.

use neardupe_core::document::Progress;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel,
};
use std::thread::{self, Scope};
use std::time::Duration;

/// Bytes read at once: what a pipe holds.
const CHUNK_BYTES: usize = 1 << 16;
/// Chunks that are read ahead.
const CHUNKS: usize = 8;
/// How often is looked whether the job was asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the other thread got; nothing at the end.
type Chunk = io::Result<Vec<u8>>;

/// Ends with an error when the job is asked to stop.
pub(super) struct WaitingRead {
    chunks: Receiver<Chunk>,
    chunk: io::Cursor<Vec<u8>>,
    has_ended: bool,
    is_stopped: Arc<AtomicBool>,
}

impl WaitingRead {
    /// Reads what `open` gives, until the flag is set.
    pub(super) fn new(
        open: impl FnOnce() -> io::Result<Box<dyn Read + Send>> + Send + 'static,
        is_stopped: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(CHUNKS);
        let work = move || {
            if let Err(error) = open().and_then(|input| hand_on(input, &sender)) {
                // Nobody may be there any more to hear of it.
                let _ = sender.send(Err(error));
            }
        };
        thread::Builder::new().name("pipe".to_owned()).spawn(work)?;
        Ok(WaitingRead {
            chunks,
            chunk: io::Cursor::default(),
            has_ended: false,
            is_stopped,
        })
    }
}

/// Sets the flag when the job is asked to stop. What is returned ends that when it is dropped.
pub(super) fn watch<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    progress: &'env dyn Progress,
    is_stopped: Arc<AtomicBool>,
) -> Sender<()> {
    let (working, ended) = channel();
    scope.spawn(move || {
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK_EVERY) {
            is_stopped.store(progress.is_cancelled(), Ordering::Relaxed);
        }
    });
    working
}

/// Hands on everything, and then an empty chunk: an end without it is no end of the input.
fn hand_on(mut input: Box<dyn Read + Send>, to: &SyncSender<Chunk>) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let read = match input.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let is_heard = to.send(Ok(buffer[..read].to_vec())).is_ok();
        if read == 0 || !is_heard {
            return Ok(());
        }
    }
}

impl Read for WaitingRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.chunk.read(buffer)?;
            if read > 0 || self.has_ended || buffer.is_empty() {
                return Ok(read);
            }
            match self.chunks.recv_timeout(LOOK_EVERY) {
                Ok(chunk) => {
                    let chunk = chunk.inspect_err(|_| self.has_ended = true)?;
                    self.has_ended = chunk.is_empty();
                    self.chunk = io::Cursor::new(chunk);
                }
                Err(RecvTimeoutError::Timeout)
                    if !self.is_stopped.load(Ordering::Relaxed) => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(io::Error::other("the job was asked to stop"));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("reading ended before the end"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_and_a_fault_comes_after_it() {
        let all: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
        let given = io::Cursor::new(all.clone());
        let mut read = Vec::new();
        let open = move || Ok(Box::new(given) as Box<dyn Read + Send>);
        let mut reader = WaitingRead::new(open, Arc::default()).unwrap();
        reader.read_to_end(&mut read).unwrap();
        assert!(read == all);
        assert_eq!(reader.read(&mut [0; 8]).unwrap(), 0);
        let open = || Err(io::Error::other("closed"));
        let mut reader = WaitingRead::new(open, Arc::default()).unwrap();
        let error = reader.read_to_end(&mut read).unwrap_err();
        assert_eq!(error.to_string(), "closed");
    }

    #[test]
    fn a_job_that_is_stopped_does_not_wait() {
        let open = || {
            loop {
                thread::park();
            }
        };
        let mut reader = WaitingRead::new(open, Arc::new(AtomicBool::new(true))).unwrap();
        assert!(reader.read(&mut [0; 8]).is_err());
    }
}

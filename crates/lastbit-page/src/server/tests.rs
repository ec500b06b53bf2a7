use std::sync::mpsc;

use super::*;

fn shared() -> (tempfile::TempDir, Shared) {
    let place = tempfile::tempdir().unwrap();
    let directory = Directory::new(place.path()).unwrap();
    let guard = Guard::new("127.0.0.1:1".parse().unwrap(), None).unwrap();
    (place, Shared::new(directory, guard, PageLimits::default()))
}

fn fine() -> Answer {
    answer::plain(StatusCode::OK, "fine")
}

/// While one inspection reads, a second is refused at once, and all other work is done.
#[test]
fn one_inspection_at_a_time_takes_no_place_from_others() {
    let (_place, shared) = shared();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let (begun, begins) = mpsc::channel();
    let (end, ends) = mpsc::channel::<()>();
    runtime.block_on(async {
        let first = shared.clone();
        let first = tokio::spawn(async move {
            let waits = move |_: &Shared| {
                begun.send(()).unwrap();
                ends.recv().unwrap();
                fine()
            };
            first.inspect(waits).await
        });
        while begins.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        assert!(shared.inspect(|_| fine()).await.is_none());
        for _ in 0..2 * WORKERS {
            assert_eq!(shared.work(|_| fine()).await.status(), StatusCode::OK);
        }
        end.send(()).unwrap();
        assert!(first.await.unwrap().is_some());
        assert!(shared.inspect(|_| fine()).await.is_some());
        // One that fails gives its place back, too.
        let fails = shared.inspect(|_| panic!("a fault")).await.unwrap();
        assert_eq!(fails.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(shared.inspect(|_| fine()).await.is_some());
    });
}

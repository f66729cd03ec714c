// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Reports changed settings of a directory from its own thread, until stopped.
    public final class DirectoryStoreWatch: Sendable {
        private let store: DirectoryStore
        private let changed: @Sendable (StorageChange) -> Void
        private let stopSignal: StopSignal
        private let known: ForkSafeMutex<[String: FileStamp]>

        /// How long the thread waits for the kernel to report a change before it looks by itself.
        private static let patienceSeconds = 3_600.0

        /// Starts to watch: changes after this returns are reported.
        ///
        /// - Parameters:
        ///   - store: may be missing now; it is watched once it exists.
        ///   - changed: called on the watch's thread, once per setting however often it changed in
        ///     between.
        /// - Throws: if the process has no file descriptor or thread left.
        public init(
            _ store: DirectoryStore, changed: @escaping @Sendable (StorageChange) -> Void
        ) throws(StorageError) {
            self.store = store
            self.changed = changed
            do throws(SystemError) {
                stopSignal = try StopSignal()
            } catch {
                throw .system(error)
            }
            known = ForkSafeMutex((try? store.stamps()) ?? [:])
            let (store, known, stopSignal) = (store, Watched(self), stopSignal)
            do throws(SystemError) {
                try BackgroundThread.start("epitaph-stored") {
                    // Used by the thread. It looks at its start, so nothing since is missed.
                    let watch = DirectoryWatch(store.path, stopSignal: stopSignal)
                    repeat {
                        known.watch?.compare()
                    } while watch.wait(seconds: Self.patienceSeconds) != .stopped
                }
            } catch {
                throw .system(error)
            }
        }

        /// Nothing is reported after this, except for a call in progress.
        public func stop() { stopSignal.stop() }

        deinit { stopSignal.stop() }

        private func compare() {
            guard !stopSignal.isStopped else { return }
            // A missing directory has no settings.
            let now = (try? store.stamps()) ?? [:]
            let before = known.withLock { known in
                defer { known = now }
                return known
            }
            for key in Set(before.keys).union(now.keys).sorted() where before[key] != now[key] {
                let kind: StorageChange.Kind =
                    if now[key] == nil { .removed } else if before[key] == nil { .added } else {
                        .changed
                    }
                changed(StorageChange(store: store.name, key: key, kind: kind))
            }
        }

        /// A weak reference, so that the thread does not keep a released watch alive.
        private final class Watched: @unchecked Sendable {
            // Set once. Reading a weak reference is safe from any thread.
            private(set) weak var watch: DirectoryStoreWatch?

            init(_ watch: DirectoryStoreWatch) { self.watch = watch }
        }
    }
}

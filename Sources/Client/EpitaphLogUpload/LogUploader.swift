// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Sends rolled logs from its own thread, whether the program or logrotate(8) rolls them.
    ///
    /// Each log is the body of one request, and is deleted once the server has it. Otherwise it
    /// stays and is retried soon, whenever another log is rolled, and when the program restarts.
    /// See docs/logs.md.
    public final class LogUploader: Sendable {
        private let path: String
        private let destination: any LogDestination
        private let options: LogUploadOptions
        private let delegate: (any LogUploadDelegate & Sendable)?
        private let makeTransport: @Sendable () throws(TransportError) -> any Transport
        private let stopSignal: StopSignal
        private let end: StopSignal
        private let thread = OneThread()

        /// - Parameters:
        ///   - path: of the directory; need not exist yet. A symbolic link is not followed.
        ///   - delegate: retained by the uploader.
        ///   - makeTransport: called on the uploader's thread for the first request, and again for
        ///     the next one if it throws.
        /// - Throws: if the process has no file descriptor left.
        package init(
            directory path: String, to destination: any LogDestination,
            options: LogUploadOptions = LogUploadOptions(),
            delegate: (any LogUploadDelegate & Sendable)? = nil,
            makeTransport: @escaping @Sendable () throws(TransportError) -> any Transport
        ) throws(SystemError) {
            self.path = path
            self.destination = destination
            self.options = options
            self.delegate = delegate
            self.makeTransport = makeTransport
            stopSignal = try StopSignal()
            end = try StopSignal()
        }

        deinit {
            stopSignal.stop()
        }

        /// Starts the thread; does nothing if already started.
        public func start() throws(SystemError) {
            let clock = SystemStoppableClock(stopSignal: stopSignal)
            // Must not retain the uploader: releasing the last reference stops it.
            let (path, destination, options) = (path, destination, options)
            let (delegate, makeTransport) = (delegate, makeTransport)
            let (stopSignal, end) = (stopSignal, end)
            try thread.start("epitaph-logs") {
                var pass = LogUploadPass(
                    through: path, to: destination, by: LazyTransport(make: makeTransport),
                    options: options, clock: clock, delegate: delegate)
                pass.runAgainAndAgain(stopSignal)
                end.stop()
            }
        }

        /// Stops the thread and waits for it. It finishes a request only if the body was already
        /// sent; otherwise the next uploader sends that log. A stopped uploader cannot be started
        /// again.
        ///
        /// - Returns: whether the thread has ended in time. If not, it ends by itself, at the
        ///   latest when its request times out.
        @discardableResult
        public func stop(within time: Duration = .seconds(5)) -> Bool {
            stopSignal.stop()
            return thread.isStarted ? end.wait(seconds: time.inSeconds) : true
        }
    }
}

extension LogUploadPass {
    /// Looks at the directory whenever something happens there or is due, until stopped.
    ///
    /// - Parameters:
    ///   - stopSignal: ends the loop and its waits. A look in progress goes on until the pass's own
    ///     clock is stopped.
    ///   - report: called with the result of each look.
    package mutating func runAgainAndAgain(
        _ stopSignal: StopSignal, report: (LogUploadSummary) -> Void = { _ in }
    ) {
        var watchOptions = DirectoryWatch.Options()
        let selection = options.selection
        watchOptions.isInteresting = { selection.includes($0) }
        let watch = DirectoryWatch(
            directory.path, stopSignal: stopSignal, options: watchOptions)
        while !stopSignal.isStopped {
            let summary = run()
            report(summary)
            // A program that keeps opening and closing a log must not keep this loop busy.
            _ = stopSignal.wait(seconds: 0.05)
            let longest = max(options.lookInterval.inSeconds, 1)
            _ = watch.wait(seconds: min(summary.secondsToNextStep ?? longest, longest))
        }
    }
}

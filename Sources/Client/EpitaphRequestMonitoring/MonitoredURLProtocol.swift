// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import EpitaphSystem
import Foundation
import FoundationNetworking

/// Stands in front of FoundationNetworking's own class for HTTP, which does all the work.
///
/// A class that loads the request in a session of its own would change the program: it would lose
/// the bodies of upload tasks, the files of download tasks, and the program's say in redirects.
/// docs/decisions/watching-a-program.md
final class MonitoredURLProtocol: URLProtocol {
    /// FoundationNetworking's class for HTTP; nil if it has none that can be found.
    static let httpClass: URLProtocol.Type? = {
        guard let url = URL(string: "http://localhost/") else { return nil }
        let request = URLRequest(url: url)
        let classes = URLSessionConfiguration.default.protocolClasses ?? []
        return classes.lazy.compactMap { $0 as? URLProtocol.Type }
            .first { $0.canInit(with: request) }
    }()

    /// One for all sessions of the process, because FoundationNetworking creates the objects of
    /// this class without saying for which session.
    static let monitor = ForkSafeMutex<RequestMonitor?>(nil)

    private var loading: Loading?

    private struct Loading {
        let loader: URLProtocol
        let request: MonitoredRequest?
    }

    required init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        super.init(request: request, cachedResponse: cachedResponse, client: client)
    }

    /// Called while FoundationNetworking holds its lock for protocol classes.
    override class func canInit(with request: URLRequest) -> Bool {
        guard let httpClass, monitor.withLock({ $0 != nil }) else { return false }
        return httpClass.canInit(with: request)
    }

    // The inherited implementations of the next two end the program.
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override class func requestIsCacheEquivalent(_ one: URLRequest, to other: URLRequest) -> Bool {
        one == other
    }

    /// Called again when a suspended task is resumed.
    override func startLoading() {
        started()?.loader.startLoading()
    }

    /// Called when the task is suspended or cancelled.
    override func stopLoading() {
        guard let loading = started() else { return }
        // FoundationNetworking reports a cancellation to the task, not to the client of the loader.
        if task?.state == .canceling { loading.request?.cancel() }
        loading.loader.stopLoading()
    }

    /// The loader, created on first use because the task is set only after the initialiser.
    private func started() -> Loading? {
        if let loading { return loading }
        guard let task, let client, let httpClass = Self.httpClass else { return nil }
        let (monitored, observer) = observed(client)
        let made = Loading(
            loader: httpClass.init(task: task, cachedResponse: cachedResponse, client: observer),
            request: monitored)
        loading = made
        return made
    }

    private func observed(
        _ client: any URLProtocolClient
    ) -> (MonitoredRequest?, any URLProtocolClient) {
        guard let monitor = Self.monitor.withLock({ $0 }) else { return (nil, client) }
        let body = request.httpBody
        let monitored = monitor.start(
            method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
            headers: request.allHTTPHeaderFields ?? [:], requestBytes: body?.count,
            body: body.map { Array($0.prefix(monitor.bodyLimitBytes)) })
        let observer = LoadingObserver(
            of: monitored, bodyLimitBytes: monitor.bodyLimitBytes, passingOnTo: client)
        return (monitored, observer)
    }
}

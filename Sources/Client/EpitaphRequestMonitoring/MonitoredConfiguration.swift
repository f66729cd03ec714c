// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import EpitaphValues
import FoundationNetworking

extension URLSessionConfiguration {
    /// Reports the HTTP requests of sessions that are made with this configuration from now on:
    ///
    ///     let configuration = URLSessionConfiguration.default
    ///     configuration.monitorRequests(with: monitor)
    ///     let session = URLSession(configuration: configuration)
    ///
    /// The requests themselves are not changed in any way. `URLSession.shared` cannot be monitored:
    /// its configuration cannot be changed.
    ///
    /// - Parameter monitor: makes the events. There is one for all sessions of a process, so a
    ///   later call replaces it. Nil changes nothing; `Epitaph.requests` is nil if there are no
    ///   events.
    /// - Returns: false if nothing was changed: for nil, and if `protocolClasses` has been set to a
    ///   list without FoundationNetworking's own class for HTTP.
    @discardableResult
    public func monitorRequests(with monitor: Epitaph.RequestMonitor?) -> Bool {
        guard let monitor, let httpClass = MonitoredURLProtocol.httpClass else { return false }
        var classes = protocolClasses ?? []
        if !classes.contains(where: { $0 == MonitoredURLProtocol.self }) {
            // After the program's own classes, whose requests FoundationNetworking does not send.
            guard let place = classes.firstIndex(where: { $0 == httpClass }) else { return false }
            classes.insert(MonitoredURLProtocol.self, at: place)
            protocolClasses = classes
        }
        MonitoredURLProtocol.monitor.withLock { $0 = monitor }
        return true
    }
}

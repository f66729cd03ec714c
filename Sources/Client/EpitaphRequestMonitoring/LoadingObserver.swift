// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import EpitaphSystem
import Foundation
import FoundationNetworking

/// Sees and passes on what the loader tells its client. `@unchecked` only because of NSObject.
final class LoadingObserver: NSObject, URLProtocolClient, @unchecked Sendable {
    private let client: any URLProtocolClient
    private let request: MonitoredRequest
    private let bodyLimitBytes: Int
    private let body = ForkSafeMutex(Body())

    /// As much of an answer's body as passes through here: FoundationNetworking hands it to
    /// delegates and download files without telling its client.
    private struct Body {
        var byteCount: Int?
        var start: [UInt8] = []
    }

    /// - Parameters:
    ///   - bodyLimitBytes: how much of the answer's body is kept.
    ///   - client: receives every call.
    init(
        of request: MonitoredRequest, bodyLimitBytes: Int,
        passingOnTo client: any URLProtocolClient
    ) {
        self.request = request
        self.bodyLimitBytes = bodyLimitBytes
        self.client = client
    }

    func urlProtocol(_ loader: URLProtocol, didLoad data: Data) {
        body.withLock { body in
            body.byteCount = (body.byteCount ?? 0) + data.count
            body.start += data.prefix(bodyLimitBytes - body.start.count)
        }
        client.urlProtocol(loader, didLoad: data)
    }

    func urlProtocolDidFinishLoading(_ loader: URLProtocol) {
        if let task = loader.task, let answer = task.response as? HTTPURLResponse {
            let body = body.withLock { $0 }
            let sent = task.countOfBytesExpectedToSend
            request.finish(
                status: answer.statusCode, responseBytes: body.byteCount,
                requestBytes: sent > 0 ? Int(clamping: sent) : nil,
                headers: Self.texts(answer.allHeaderFields),
                body: body.byteCount == nil ? nil : body.start)
        }
        client.urlProtocolDidFinishLoading(loader)
    }

    func urlProtocol(_ loader: URLProtocol, didFailWithError error: any Error) {
        let code = (error as? URLError)?.code
        if code == .cancelled {
            request.cancel()
        } else {
            request.fail(type: code.map(Self.name) ?? "\(type(of: error))")
        }
        client.urlProtocol(loader, didFailWithError: error)
    }

    /// The answer comes from the session's cache: nothing was sent.
    func urlProtocol(_ loader: URLProtocol, cachedResponseIsValid response: CachedURLResponse) {
        request.discard()
        client.urlProtocol(loader, cachedResponseIsValid: response)
    }

    func urlProtocol(
        _ loader: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        client.urlProtocol(loader, didReceive: response, cacheStoragePolicy: policy)
    }

    func urlProtocol(
        _ loader: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        client.urlProtocol(
            loader, wasRedirectedTo: request, redirectResponse: redirectResponse)
    }

    func urlProtocol(_ loader: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        client.urlProtocol(loader, didReceive: challenge)
    }

    func urlProtocol(_ loader: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        client.urlProtocol(loader, didCancel: challenge)
    }

    private static func texts(_ headers: [AnyHashable: Any]) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in headers {
            if let name = name as? String, let value = value as? String { texts[name] = value }
        }
        return texts
    }

    private static func name(of code: URLError.Code) -> String {
        switch code {
        case .timedOut: "timedOut"
        case .cannotFindHost: "cannotFindHost"
        case .cannotConnectToHost: "cannotConnectToHost"
        case .networkConnectionLost: "networkConnectionLost"
        case .dnsLookupFailed: "dnsLookupFailed"
        case .httpTooManyRedirects: "httpTooManyRedirects"
        case .notConnectedToInternet: "notConnectedToInternet"
        case .badServerResponse: "badServerResponse"
        case .secureConnectionFailed: "secureConnectionFailed"
        case .serverCertificateUntrusted: "serverCertificateUntrusted"
        case .badURL: "badURL"
        default: "URLError \(code.rawValue)"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

/// Ways to make requests.
enum Scenario: String {
    case get, large, post, streamed, status, refused, closed, late, cancelled, neverResumed
    case suspended, redirected, redirectRefused, upload, uploadedFile, download, downloadDelegate
    case delegate, loggedIn, loginRefused, fromCache, crowd, async, ownProtocol, head

    /// What the program saw of it.
    func run(_ web: Web) async -> String {
        switch self {
        case .get: await web.completed(web.request("bytes/5"))
        case .large: await web.completed(web.request("bytes/1048576"))
        case .head: await web.completed(web.request("bytes/5", "HEAD"))
        case .post: await web.completed(web.request("echo", "POST", body: "hello, server"))
        case .streamed: await web.streamed()
        case .status: await web.completed(web.request("status/503"))
        case .refused: await web.completed(URLRequest(url: URL(string: "http://127.0.0.1:1/")!))
        case .closed: await web.completed(web.request("close"))
        case .late: await web.completed(web.request("slow", timeout: 1))
        case .cancelled: await web.cancelled(isResumed: true)
        case .neverResumed: await web.cancelled(isResumed: false)
        case .suspended: await web.suspended()
        case .redirected: await web.completed(web.request("redirect"))
        case .redirectRefused: await web.delegated("redirect") { $0.followsRedirects = false }
        case .upload: await web.uploaded()
        case .uploadedFile: await web.uploadedFile()
        case .download: await web.downloaded()
        case .downloadDelegate: await web.downloadedWithDelegate()
        case .delegate: await web.delegated("bytes/300000") { _ in }
        case .loggedIn: await web.delegated("login") { $0.password = "lovelace" }
        case .loginRefused: await web.delegated("login") { $0.password = nil }
        case .fromCache: await web.fromCache()
        case .crowd: await web.crowd(count: 32)
        case .async: await web.awaited()
        case .ownProtocol: await web.answeredByProgram()
        }
    }
}

/// A program's own class, which answers requests without a network.
final class OwnProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let answer = HTTPURLResponse(
                url: url, statusCode: 299, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: answer, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("own".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

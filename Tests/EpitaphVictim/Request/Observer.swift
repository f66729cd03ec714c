// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

/// A delegate that notes what it is asked and told.
///
/// `@unchecked`: changed before its session exists, and then on the session's queue alone.
final class Observer: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    var followsRedirects = true
    var password: String?
    private var steps: [String] = []
    private var byteCount = 0
    private var done: (@Sendable (String) -> Void)?

    /// Starts a task of a session with this delegate, and waits for its end.
    func line(_ make: (Observer) -> URLSessionTask) async -> String {
        await withCheckedContinuation { continuation in
            done = { continuation.resume(returning: $0) }
            make(self).resume()
        }
    }

    private func note(_ step: String) {
        if steps.last != step { steps.append(step) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        byteCount += data.count
        note("data")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("redirect to \(request.url?.path ?? "")")
        completionHandler(followsRedirects ? request : nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        note("challenge \(challenge.protectionSpace.realm ?? "")")
        guard let password, challenge.previousFailureCount == 0 else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(
            .useCredential,
            URLCredential(user: "ada", password: password, persistence: .none))
    }

    /// The size of a downloaded file, which Foundation leaves behind on Linux.
    static func take(_ file: URL) -> Int? {
        defer { try? FileManager.default.removeItem(at: file) }
        return try? Data(contentsOf: file).count
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let size = Self.take(location)
        note("file of \(size ?? -1)")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        note(error.map { "error \(($0 as NSError).code)" } ?? "end")
        done?("\(steps.joined(separator: ", ")); \(byteCount) bytes")
        session.finishTasksAndInvalidate()
    }
}

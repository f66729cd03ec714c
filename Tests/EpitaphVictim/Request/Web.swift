// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import FoundationNetworking

/// Requests to a server, each of which becomes a line that says what the program saw.
struct Web: Sendable {
    let server: URL
    let configuration: URLSessionConfiguration

    func request(
        _ path: String, _ method: String = "GET", body: String? = nil, timeout: Double = 60
    ) -> URLRequest {
        var request = URLRequest(url: server.appendingPathComponent(path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.timeoutInterval = timeout
        request.setValue("own", forHTTPHeaderField: "X-Own")
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        return request
    }

    func session(_ observer: Observer? = nil) -> URLSession {
        URLSession(configuration: configuration, delegate: observer, delegateQueue: nil)
    }

    func completed(_ request: URLRequest) async -> String {
        await answer { self.session().dataTask(with: request, completionHandler: $0) }
    }

    func uploaded() async -> String {
        let body = Data("the body of a task".utf8)
        return await answer {
            self.session().uploadTask(
                with: self.request("echo", "PUT"), from: body, completionHandler: $0)
        }
    }

    func uploadedFile() async -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            Epitaph.ID().description.uppercased())
        try? Data(repeating: 0x61, count: 100_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return await answer {
            self.session().uploadTask(
                with: self.request("echo", "POST"), fromFile: file, completionHandler: $0)
        }
    }

    func streamed() async -> String {
        var request = request("echo", "POST")
        request.httpBodyStream = InputStream(data: Data(repeating: 0x62, count: 50_000))
        return await completed(request)
    }

    func downloaded() async -> String {
        await withCheckedContinuation { done in
            session().downloadTask(with: request("bytes/200000")) { file, response, error in
                let size = file.flatMap { Observer.take($0) }
                done.resume(returning: Self.line(response, error, "file of \(size ?? -1)"))
            }.resume()
        }
    }

    func downloadedWithDelegate() async -> String {
        await Observer().line { session(_: $0).downloadTask(with: request("bytes/200000")) }
    }

    func delegated(_ path: String, _ change: (Observer) -> Void) async -> String {
        let observer = Observer()
        change(observer)
        return await observer.line { observer in
            var request = request(path)
            if path == "login" { request.setValue(nil, forHTTPHeaderField: "Authorization") }
            return session(observer).dataTask(with: request)
        }
    }

    func cancelled(isResumed: Bool) async -> String {
        await answer { done in
            let task = self.session().dataTask(
                with: self.request("slow"), completionHandler: done)
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { task.cancel() }
            return isResumed ? task : nil
        }
    }

    /// Suspended while it waits for the server, and resumed.
    func suspended() async -> String {
        await answer { done in
            let task = self.session().dataTask(
                with: self.request("slow", timeout: 2), completionHandler: done)
            task.resume()
            for (seconds, act) in [(0.3, task.suspend), (0.6, task.resume)] {
                DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { act() }
            }
            return nil
        }
    }

    /// The program itself has put the answer into the session's cache.
    func fromCache() async -> String {
        let url = server.appendingPathComponent("cached")
        let headers = ["Cache-Control": "max-age=3600"]
        if let answer = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
        {
            configuration.urlCache?.storeCachedResponse(
                CachedURLResponse(response: answer, data: Data("from the cache".utf8)),
                for: URLRequest(url: url))
        }
        return await completed(URLRequest(url: url))
    }

    func crowd(count: Int) async -> String {
        let session = session()
        return await withTaskGroup(of: String.self) { group in
            for number in 1...count {
                group.addTask {
                    await self.answer {
                        session.dataTask(
                            with: self.request("bytes/\(number * 1_000)"), completionHandler: $0)
                    }
                }
            }
            var lines: [String] = []
            for await line in group { lines.append(line) }
            return lines.sorted().joined(separator: " | ")
        }
    }

    func awaited() async -> String {
        do {
            let (data, response) = try await session().data(for: request("bytes/70000"))
            return Self.line(response, nil, Self.text(data))
        } catch {
            return Self.line(nil, error, "")
        }
    }

    func answeredByProgram() async -> String {
        configuration.protocolClasses = [OwnProtocol.self] + (configuration.protocolClasses ?? [])
        return await completed(request("bytes/5"))
    }

    /// Starts a task and waits for its completion handler.
    private func answer(
        _ make: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask?
    ) async -> String {
        await withCheckedContinuation { done in
            make { data, response, error in
                done.resume(returning: Self.line(response, error, data.map(Self.text) ?? "no data"))
            }?.resume()
        }
    }

    static func line(_ response: URLResponse?, _ error: (any Error)?, _ body: String) -> String {
        if let error { return "error \((error as NSError).code), \(body)" }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return "status \(status) of \(response?.url?.path ?? "nothing"), \(body)"
    }

    static func text(_ data: Data) -> String {
        let start = String(decoding: data.prefix(20), as: UTF8.self)
        return "\(data.count) bytes: \(start)"
    }
}

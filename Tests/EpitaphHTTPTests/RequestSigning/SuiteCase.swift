// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphHTTP

/// A request of Amazon's Signature Version 4 Test Suite and its signature, and the examples of
/// "Signature Calculations for the Authorization Header" in the API reference of S3.
struct SuiteCase: Sendable, CustomTestStringConvertible {
    let name: String
    var method = "GET"
    var path = "/"
    var query = ""
    var headers: [(String, String)] = []
    var body = ""
    let signature: String

    var testDescription: String { name }

    static let key = AccessKey(
        id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    static let time = "20150830T123600Z"

    private static let unreserved =
        "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmx"
        + "fpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0K"
        + "PkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZb"
        + "qBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

    static let all = [
        SuiteCase(
            name: "get-header-key-duplicate",
            headers: [
                ("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1"),
            ],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        SuiteCase(
            name: "get-header-value-order",
            headers: [
                ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"),
                ("My-Header1", "value2"),
            ],
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        SuiteCase(
            name: "get-header-value-trim",
            headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        SuiteCase(
            name: "get-unreserved", path: "/" + unreserved,
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        SuiteCase(
            name: "get-utf8", path: "/%E1%88%B4",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        SuiteCase(
            name: "get-vanilla",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SuiteCase(
            name: "get-vanilla-empty-query-key", query: "Param1=value1",
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        SuiteCase(
            name: "get-vanilla-query-order-key-case", query: "Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        SuiteCase(
            name: "get-vanilla-query-unreserved", query: "\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        SuiteCase(
            name: "get-vanilla-utf8-query", query: "%E1%88%B4=bar",
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        SuiteCase(
            name: "post-header-key-sort", method: "POST", headers: [("My-Header1", "value1")],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        SuiteCase(
            name: "post-header-value-case", method: "POST", headers: [("My-Header1", "VALUE1")],
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        SuiteCase(
            name: "post-sts-header-before", method: "POST",
            headers: [("X-Amz-Security-Token", token)],
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
        SuiteCase(
            name: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        SuiteCase(
            name: "post-vanilla-query", method: "POST", query: "Param1=value1",
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        SuiteCase(
            name: "post-vanilla-query-nonunreserved", method: "POST",
            query: "%40%23%24%25%5E=&%2B=%2F%2C%3F%3E%3C%60%22%3B%3A%5C%7C%5D%5B%7B%7D",
            signature: "66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e"),
        SuiteCase(
            name: "post-vanilla-query-space", method: "POST", query: "p",
            signature: "e71688addb58a26418614085fb730ba3faa623b461c17f48f2fbdb9361b94a9b"),
        SuiteCase(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: "Param1=value1",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        SuiteCase(
            name: "post-x-www-form-urlencoded-parameters", method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded; charset=utf8")],
            body: "Param1=value1",
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ]
}

/// The examples of the API reference of S3.
struct StorageCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "GET"
    var path = "/"
    var query = ""
    var headers: [(String, String)] = []
    var body = ""
    let signature: String

    static let key = AccessKey(
        id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    static let time = "20130524T000000Z"

    static let all = [
        StorageCase(
            testDescription: "GET Object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        StorageCase(
            testDescription: "PUT Object", method: "PUT", path: "/test%24file.text",
            headers: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        StorageCase(
            testDescription: "GET Bucket Lifecycle", query: "lifecycle",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        StorageCase(
            testDescription: "Get Bucket", query: "prefix=J&max-keys=2",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]
}

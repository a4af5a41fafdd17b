module github.com/aws/aws-sdk-go-v2/service/s3

go 1.26.4

require github.com/aws/aws-sdk-go-v2 v1.43.4

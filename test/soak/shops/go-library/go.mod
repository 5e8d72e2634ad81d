module library

go 1.19
